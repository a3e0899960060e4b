// Runs work in the WebAssembly module, one piece at a time. A module that trapped, or
// did not come to an end with a page in time, is never used again: the next piece of work
// finds a fresh one. What it knew is in the database, so nothing is lost but the piece of
// work. Other work may take as long as the companion does.

import { text } from "./texts.js";

export class Failed extends Error {}

// `modules` are copies of the module, each with a memory of its own; `start` makes one
// ready. When none is left, `restart` starts everything again.
export function inModule(modules, start, restart) {
  let current = 0, ready = null, last = Promise.resolve();

  function open() {
    ready ??= start(modules[current]);
    ready.catch(() => (ready = null));
    return ready;
  }

  function next() {
    ready = null;
    current += 1;
    if (current >= modules.length) {
      current = 0;
      restart();
    }
  }

  async function run(work, longest) {
    let timer = 0;
    const late = new Promise((_, reject) => {
      if (longest) timer = setTimeout(() => reject(new Failed(text("took_too_long"))), longest);
    });
    try {
      return await Promise.race([open().then(work), late]);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError || error instanceof Failed) {
        next();
        throw new Failed(text("failed_and_started_again", [error.message]));
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  // One at a time: two pieces of work must not change the same topic at once.
  return (work, longest = 0) => {
    const done = last.then(() => run(work, longest));
    last = done.catch(() => {});
    return done;
  };
}

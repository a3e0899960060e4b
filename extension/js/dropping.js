// Has the browser drop what was deleted from its files. Chromium's database appends to a log and
// merges its files when there is enough that is new. So a few megabytes are written and deleted
// around all rows: then the old files are merged, and what was deleted is left out. Firefox keeps
// deleted rows in its file until it uses their place again; this would not help there.
const NAME = "linkscent";
const STEPS = 16, ROWS = 32, BYTES = 32000; // rows are random: they cannot be compressed

const once = (request) => new Promise((done, failed) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => failed(request.error);
});

// Each step is one transaction that keeps nothing, so nobody else sees these rows. Their keys are
// numbers and lists, before and behind all texts.
function step(database) {
  const names = [...database.objectStoreNames], transaction = database.transaction(names, "readwrite");
  for (const name of names) {
    const table = transaction.objectStore(name), keys = [];
    for (let n = 0; n < ROWS / names.length; n++) keys.push(n % 2 ? [n] : n);
    for (const key of keys) table.put(crypto.getRandomValues(new Uint8Array(BYTES)), key);
    for (const key of keys) table.delete(key);
  }
  return new Promise((done, failed) => {
    transaction.oncomplete = done;
    transaction.onabort = () => failed(transaction.error);
  });
}

async function drop() {
  const database = await once(indexedDB.open(NAME));
  // An update of the database does not wait.
  database.onversionchange = () => database.close();
  try {
    for (let n = 0; n < STEPS; n++) await step(database);
  } finally {
    database.close();
  }
}

let dropping = null, again = false;

// Begins at once, or when the work under way has ended. Nothing waits for it.
export function dropDeleted() {
  if (!chrome.runtime.getURL("").startsWith("chrome-extension:")) return;
  again = dropping !== null;
  dropping ??= drop().catch(() => {}).then(() => {
    dropping = null;
    if (again) dropDeleted();
  });
}

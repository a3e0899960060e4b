// A client that is made of the API's own description, by a library that knows nothing else of it.
// Arguments: address, token, topic. Prints a line of JSON.
import SwaggerClient from "swagger-client";

const [address, token, topic] = process.argv.slice(2);
const description = `${address}/api/v1/openapi.json`;
const client = await SwaggerClient({ url: description, authorizations: { token: { value: token } } });
const calls = client.apis.default;
const refused = call => call.then(() => "nothing", error => error.response?.body?.error ?? String(error));

const topics = await calls.topics();
const found = await calls.search_library({ topic, q: "dialysis", all: true, most: 2 });
const table = await calls.export_library({ topic, format: "csv", all: true });
const stranger = await SwaggerClient({ url: description });
const order = { topic, seeds: [], budget: 1 };
console.log(JSON.stringify({
  topics: topics.body.map(one => one.name),
  total: found.body.total,
  pages: found.body.pages.map(page => page.address),
  table: table.text.split("\n").length,
  unknown: await refused(calls.search_library({ topic: "nobody" })),
  crawl: await refused(calls.begin_crawl({}, { requestBody: order })),
  stranger: await refused(stranger.apis.default.topics()),
}));

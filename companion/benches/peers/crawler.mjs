// A crawl by Crawlee: follows every link of every page, and reads its text.
//
// node crawler.mjs FOLDER PROXY PAGES SEED...
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, proxy, pages, ...seeds] = process.argv.slice(2);
const require = createRequire(join(folder, "x.js"));
const { CheerioCrawler, Configuration, ProxyConfiguration, log } = require("@crawlee/cheerio");

log.setLevel(log.LEVELS.ERROR);
const configuration = new Configuration({ persistStorage: false });
let words = 0;
let read = 0;
const crawler = new CheerioCrawler(
  {
    proxyConfiguration: new ProxyConfiguration({ proxyUrls: [proxy] }),
    maxRequestsPerCrawl: Number(pages),
    maxConcurrency: 32,
    maxRequestRetries: 0,
    async requestHandler({ $, enqueueLinks }) {
      read += 1;
      words += $("body").text().split(/\s+/).length;
      await enqueueLinks({
        strategy: "all",
        transformRequestFunction: (request) => {
          request.url = request.url.replace("https://", "http://");
          return request;
        },
      });
    },
  },
  configuration,
);
await crawler.run(seeds);
console.log(read);

"""A crawl by Scrapy: follows every link of every page, breadth first, and reads its text.

python3 spider.py PROXY PAGES SEED...
"""

import os
import sys

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

proxy, pages, *seeds = sys.argv[1:]
os.environ["http_proxy"] = proxy
links = LinkExtractor(deny_extensions=[])


class Everything(Spider):
    name = "everything"
    read = 0

    async def start(self):
        for seed in seeds:
            yield Request(seed)

    def parse(self, response):
        if not hasattr(response, "xpath"):
            return
        self.read += 1
        yield {"words": sum(len(text.split()) for text in response.xpath("//body//text()").getall())}
        for link in links.extract_links(response):
            yield Request(link.url.replace("https://", "http://", 1))


process = CrawlerProcess(
    {
        "CLOSESPIDER_PAGECOUNT": int(pages),
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
        "DEPTH_PRIORITY": 1,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": True,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "TELNETCONSOLE_ENABLED": False,
    }
)
crawler = process.create_crawler(Everything)
process.crawl(crawler)
process.start()
print(crawler.spider.read)

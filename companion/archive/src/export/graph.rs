//! The ways to the pages as a graph: GEXF 1.3. A page on a way that is none of the list is a node
//! by its address alone.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use super::{About, AnyExport, Entry, Export, Out, xml};

struct Node {
    label: String,
    probability: Option<f64>,
}

struct Graph {
    out: Out,
    numbers: HashMap<String, usize>,
    nodes: Vec<Node>,
    edges: BTreeSet<(usize, usize)>,
}

pub(super) fn begin(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Graph {
        out,
        numbers: HashMap::new(),
        nodes: Vec::new(),
        edges: BTreeSet::new(),
    })
}

impl Graph {
    fn number(&mut self, address: &str) -> usize {
        let next = self.nodes.len();
        let number = *self.numbers.entry(address.to_owned()).or_insert(next);
        if number == next {
            self.nodes.push(Node {
                label: address.to_owned(),
                probability: None,
            });
        }
        number
    }
}

impl Export for Graph {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let mut before = None;
        let way = entry.path.iter().chain([&entry.address]);
        for step in way {
            let here = self.number(step);
            if let Some(before) = before.filter(|before| *before != here) {
                self.edges.insert((before, here));
            }
            before = Some(here);
        }
        let here = self.number(&entry.address);
        self.nodes[here] = Node {
            label: entry.title.clone(),
            probability: Some(entry.probability),
        };
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\">\n<graph defaultedgetype=\"directed\">\n<attributes class=\"node\"><attribute id=\"0\" title=\"address\" type=\"string\"/><attribute id=\"1\" title=\"probability\" type=\"double\"/></attributes>\n<nodes>"
        )?;
        let mut addresses: Vec<(&String, &usize)> = self.numbers.iter().collect();
        addresses.sort_by_key(|row| row.1);
        for (address, &number) in addresses {
            let node = &self.nodes[number];
            let probability = node
                .probability
                .map(|probability| format!("<attvalue for=\"1\" value=\"{probability:.3}\"/>"));
            writeln!(
                self.out,
                "<node id=\"{number}\" label=\"{}\"><attvalues><attvalue for=\"0\" value=\"{}\"/>{}</attvalues></node>",
                xml(&node.label),
                xml(address),
                probability.unwrap_or_default()
            )?;
        }
        writeln!(self.out, "</nodes>\n<edges>")?;
        for (number, (from, to)) in self.edges.iter().enumerate() {
            writeln!(
                self.out,
                "<edge id=\"{number}\" source=\"{from}\" target=\"{to}\"/>"
            )?;
        }
        writeln!(self.out, "</edges>\n</graph>\n</gexf>")?;
        self.out.flush()
    }
}

//! Strategies of others that ours are compared with.

pub(in crate::strategies) mod depth_first;
pub(in crate::strategies) mod fish_search;
pub(in crate::strategies) mod hub;
pub(in crate::strategies) mod info_spiders;
pub(in crate::strategies) mod link_graph;
pub(in crate::strategies) mod q_linear;
pub(in crate::strategies) mod reinforcement;
pub(in crate::strategies) mod shark_search;
pub(in crate::strategies) mod topic_pagerank;
pub(in crate::strategies) mod transitions;

//! The machines' side of the cluster: nodes that join, become ready, and fall silent.

//! Ports of a node that pods take: each address, port and protocol goes to one pod (core v1.9.0
//! `pkg/scheduling/hostportusage.go`).

use core::net::IpAddr;
use lkesim_kube::object::pod::HostPort;

/// The ports that are taken, in the order in which they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPortUsage(Vec<HostPort>);

impl HostPortUsage {
    /// Takes ports.
    pub fn add<'a>(&mut self, ports: impl IntoIterator<Item = &'a HostPort>) {
        self.0.extend(ports);
    }

    /// The first of the wanted ports that is taken, and the port that takes it.
    pub fn conflict(&self, wanted: &[HostPort]) -> Option<(HostPort, HostPort)> {
        let taken = |port: &HostPort| self.0.iter().find(|taken| matches(port, taken)).map(|taken| (*port, *taken));
        wanted.iter().find_map(taken)
    }
}

/// Addresses that differ do not conflict, unless one stands for all.
fn matches(one: &HostPort, other: &HostPort) -> bool {
    one.protocol == other.protocol
        && one.port == other.port
        && (same_address(one.ip, other.ip) || one.ip.is_unspecified() || other.ip.is_unspecified())
}

/// An IPv4 address is the same in its IPv6 form.
fn same_address(one: IpAddr, other: IpAddr) -> bool {
    one.to_canonical() == other.to_canonical()
}

/// Karpenter's sentence on a conflict.
pub fn refusal((wanted, taken): &(HostPort, HostPort)) -> String {
    format!(
        "checking host port usage, pod hostport conflicts with existing hostport configuration (existing-hostport-ip={}, \
         existing-hostport-port={}, existing-hostport-protocol={}, pod-hostport-ip={}, pod-hostport-port={}, \
         pod-hostport-protocol={})",
        taken.ip,
        taken.port,
        taken.protocol.name(),
        wanted.ip,
        wanted.port,
        wanted.protocol.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use lkesim_kube::object::pod::Protocol;

    fn port(ip: &str, port: u16, protocol: Protocol) -> HostPort {
        HostPort { ip: ip.parse().expect("an address"), port, protocol }
    }

    #[test]
    fn a_port_conflicts_with_the_same_on_the_same_or_on_all_addresses() {
        let mut usage = HostPortUsage::default();
        usage.add(&[port("10.0.0.1", 80, Protocol::Tcp)]);
        let table = [
            (port("10.0.0.1", 80, Protocol::Tcp), true),
            (port("10.0.0.2", 80, Protocol::Tcp), false),
            (port("0.0.0.0", 80, Protocol::Tcp), true),
            (port("::", 80, Protocol::Tcp), true),
            (port("0.0.0.0", 80, Protocol::Udp), false),
            (port("0.0.0.0", 81, Protocol::Tcp), false),
        ];
        for (wanted, conflicts) in table {
            assert_eq!(usage.conflict(&[wanted]).is_some(), conflicts, "{wanted:?}");
        }
    }
}

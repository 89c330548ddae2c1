//! Addresses and networks, as the senders of a recording are named.

use std::net::IpAddr;

/// One or several: `192.0.2.7`, `192.0.2.0/24, 2001:db8::/32`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

/// Addresses that begin with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Networks {
    /// What is allowed where they are read.
    pub const ALLOWED: &str = "addresses or networks, with commas between several, such as \
                               192.0.2.7 or 192.0.2.0/24";

    /// Reads them; none if anything else stands there.
    pub fn parse(text: &str) -> Option<Self> {
        text.split(',')
            .map(|one| Network::parse(one.trim()))
            .collect::<Option<Vec<_>>>()
            .map(Self)
    }

    /// Whether an address is in one of them.
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            // `+8` and the like are numbers too, but no prefixes.
            Some(prefix) if prefix.bytes().all(|byte| byte.is_ascii_digit()) => {
                prefix.parse().ok().filter(|&prefix| prefix <= bits)?
            }
            Some(_) => return None,
            None => bits,
        };
        Some(Self { address, prefix })
    }

    /// Bits behind the prefix are no matter.
    fn contains(&self, address: IpAddr) -> bool {
        let differ = match (self.address, address) {
            (IpAddr::V4(mine), IpAddr::V4(other)) => {
                let differ = mine.to_bits() ^ other.to_bits();
                u128::from(differ) << 96
            }
            (IpAddr::V6(mine), IpAddr::V6(other)) => mine.to_bits() ^ other.to_bits(),
            _ => return false,
        };
        differ.leading_zeros() >= self.prefix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contain(networks: &str, address: &str) -> bool {
        let networks = Networks::parse(networks).unwrap();
        networks.contain(address.parse().unwrap())
    }

    #[test]
    fn an_address_is_in_its_networks_alone() {
        assert!(contain("192.0.2.7", "192.0.2.7"));
        assert!(!contain("192.0.2.7", "192.0.2.6"));
        // 96 to 127.
        for (last, is_in) in [(95, false), (96, true), (127, true), (128, false)] {
            let address = format!("192.0.2.{last}");
            assert_eq!(contain("192.0.2.100/27", &address), is_in, "{last}");
        }
        assert!(contain("0.0.0.0/0", "198.51.100.9"));
        assert!(!contain("0.0.0.0/0", "2001:db8::1"));
        assert!(contain("::/0", "2001:db8::1"));
        assert!(contain("192.0.2.7, 2001:db8::/33", "2001:db8:7fff::1"));
        assert!(!contain("192.0.2.7, 2001:db8::/33", "2001:db8:8000::1"));
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "all",
            "192.0.2",
            "192.0.2.7/33",
            "192.0.2.7/",
            "192.0.2.7/+8",
            "::1/129",
            "192.0.2.7,",
            "192.0.2.7:80",
        ] {
            assert_eq!(Networks::parse(text), None, "{text}");
        }
    }
}

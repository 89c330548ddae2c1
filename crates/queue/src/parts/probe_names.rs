//! Names of the variables inside a discipline's queues: `flow[k].name`.

use crate::ProbeValue;

/// Shows variables with `place` in front of their names. There may be thousands, several times a
/// second: one text serves for all of them.
pub fn prefixed(
    place: String,
    show: &mut dyn FnMut(&str, ProbeValue),
) -> impl FnMut(&str, ProbeValue) {
    let begin = place.len();
    let mut full = place;
    move |name, value| {
        full.truncate(begin);
        full.push_str(name);
        show(&full, value);
    }
}

/// The parts of `flow[k].name`.
pub fn parse_flow(name: &str) -> Option<(usize, &str)> {
    let (k, name) = name.strip_prefix("flow[")?.split_once("].")?;
    Some((k.parse().ok()?, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_found_by_its_name() {
        let mut names = Vec::new();
        let mut show = |name: &str, _| names.push(name.to_owned());
        let mut one = prefixed("flow[12].".to_owned(), &mut show);
        one("packets", ProbeValue::Number(1.0));
        one("tin[0].bytes", ProbeValue::Number(2.0));
        drop(one);
        assert_eq!(names, ["flow[12].packets", "flow[12].tin[0].bytes"]);
        assert_eq!(parse_flow(&names[1]), Some((12, "tin[0].bytes")));
        assert_eq!(parse_flow("packets"), None);
    }
}

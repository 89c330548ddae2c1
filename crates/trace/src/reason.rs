use std::io;

/// Why a file cannot be read or written, without the number of the operating system:
/// `no such file or directory`.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let Some((words, _)) = text.split_once(" (os error") else {
        return text;
    };
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_the_system_is_shown() {
        let missing = std::fs::read("/no/such/file").unwrap_err();
        assert_eq!(reason(&missing), "no such file or directory");
        assert_eq!(
            reason(&io::Error::other("The cable was pulled")),
            "The cable was pulled"
        );
    }
}

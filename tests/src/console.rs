//! The operators' console in a real browser, beside real clients of the same host.
//!
//! Is: what runs `tests/clients/browser.py`, whose cases are the stories in `tests/clients/console`. What they check stands in them. Is not:
//! able to install a browser; `./tests/run` does that before.

mod attacks;
mod pictures;
mod work;

use crate::scenario::plays;

fn played(case: &str) -> String {
    let transcript = plays("browser.py", &["--case", case]);
    assert!(transcript.contains(&format!("all as it must be ({case})")), "{transcript}");
    transcript
}

//! The gateway binary: nothing but the call into the library.

fn main() -> std::process::ExitCode {
    agent_host::app::main()
}

//! The program. Everything is in the library; see [`zuylen`].

fn main() -> std::process::ExitCode {
    zuylen::cli::main()
}

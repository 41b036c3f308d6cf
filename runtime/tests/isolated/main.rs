//! The isolated sandbox through its front door. Opening one starts this program again, so it has a `main` of its own.

#[cfg(target_os = "linux")]
mod cases;
#[cfg(target_os = "linux")]
mod world;

fn main() {
    helve_runtime::sandbox::become_helper();
    #[cfg(target_os = "linux")]
    world::main();
    #[cfg(not(target_os = "linux"))]
    println!("ran nothing: the isolated sandbox is for Linux");
}

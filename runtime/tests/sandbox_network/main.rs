//! What the commands of an isolated sandbox reach of the network: nothing, or the hosts that rules allow.

#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "each test target uses a part of this")]
#[path = "../capability/server.rs"]
mod server;

#[cfg(target_os = "linux")]
#[allow(dead_code, reason = "each test target uses a part of this")]
#[path = "../isolated/world.rs"]
mod world;

#[cfg(target_os = "linux")]
mod cases;

fn main() {
    helve_runtime::sandbox::become_helper();
    #[cfg(target_os = "linux")]
    world::main();
    #[cfg(not(target_os = "linux"))]
    println!("nothing ran, because the isolated sandbox is for Linux");
}

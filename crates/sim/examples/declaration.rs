//! Prints the declaration of scenarios as JSON, for `make generate`.

fn main() {
    println!("{}", airlink_sim::scenario::declaration());
}

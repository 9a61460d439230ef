//! placeholder

#[cfg(test)]
mod vectors;

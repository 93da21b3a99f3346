//! The compiled half of the airlink Python package.

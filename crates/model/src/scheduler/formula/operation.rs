//! What a formula can compute: operators and functions, each with its value for numbers.
//!
//! Their bits are the same on every machine: basic arithmetic, comparisons, and libm. It leaves out conditions as words ("and"): a product
//! of comparisons is one.

macro_rules! unary {
    ($($(#[doc = $meaning:literal])+ $operation:ident $of:expr;)*) => {
        /// An operation on one number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Unary {
            $($(#[doc = $meaning])+ $operation,)*
        }

        impl Unary {
            pub(super) const fn meaning(self) -> &'static str {
                match self { $(Self::$operation => concat!($($meaning),+)),* }
            }

            /// Its value for a number.
            pub(super) fn of(self, x: f64) -> f64 {
                match self { $(Self::$operation => { let of: fn(f64) -> f64 = $of; of(x) })* }
            }

            /// Calls `run` with the function, so that each loop is compiled for itself.
            #[inline(always)]
            pub(super) fn with(self, run: impl MapUnary) {
                match self { $(Self::$operation => run.run($of)),* }
            }
        }
    };
}

macro_rules! binary {
    ($($(#[doc = $meaning:literal])+ $operation:ident $name:literal $of:expr;)*) => {
        /// An operation on two numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Binary {
            $($(#[doc = $meaning])+ $operation,)*
        }

        impl Binary {
            pub(super) const ALL: &'static [Self] = &[$(Self::$operation),*];

            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$operation => $name),* }
            }

            pub(super) const fn meaning(self) -> &'static str {
                match self { $(Self::$operation => concat!($($meaning),+)),* }
            }

            /// Its value for two numbers.
            pub(super) fn of(self, x: f64, y: f64) -> f64 {
                match self { $(Self::$operation => { let of: fn(f64, f64) -> f64 = $of; of(x, y) })* }
            }

            /// Calls `run` with the function, so that each loop is compiled for itself.
            #[inline(always)]
            pub(super) fn with(self, run: impl MapBinary) {
                match self { $(Self::$operation => run.run($of)),* }
            }
        }
    };
}

/// A loop over a function of one number.
pub(super) trait MapUnary {
    fn run(self, of: impl Fn(f64) -> f64);
}

/// A loop over a function of two numbers.
pub(super) trait MapBinary {
    fn run(self, of: impl Fn(f64, f64) -> f64);
}

unary! {
    /// minus x, binds less than ^: -2^2 is -4
    Negate |x| -x;
    /// without its sign
    Abs |x: f64| x.abs();
    /// square root
    Sqrt libm::sqrt;
    /// e^x
    Exp libm::exp;
    /// natural logarithm
    Log libm::log;
    /// logarithm to the base 2
    Log2 libm::log2;
    /// logarithm to the base 10
    Log10 libm::log10;
    /// hyperbolic tangent
    Tanh libm::tanh;
    /// largest whole number up to x
    Floor libm::floor;
    /// least whole number from x on
    Ceil libm::ceil;
}

binary! {
    /// sum
    Add "+" |x, y| x + y;
    /// difference
    Subtract "-" |x, y| x - y;
    /// product
    Multiply "*" |x, y| x * y;
    /// quotient
    Divide "/" |x, y| x / y;
    /// power, also **, from the right: 2^3^2 is 2^9
    Power "^" libm::pow;
    /// 1 if less, else 0
    Less "<" |x, y| truth(x < y);
    /// 1 if less or equal, else 0
    AtMost "<=" |x, y| truth(x <= y);
    /// 1 if greater, else 0
    Greater ">" |x, y| truth(x > y);
    /// 1 if greater or equal, else 0
    AtLeast ">=" |x, y| truth(x >= y);
    /// 1 if equal, else 0
    Equal "==" |x, y| truth(x == y);
    /// 1 if not equal, else 0
    NotEqual "!=" |x, y| truth(x != y);
    /// the least
    Min "min" least;
    /// the largest
    Max "max" largest;
}

/// A condition as a number.
#[inline(always)]
fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// The smaller number; no number if one is none.
#[inline(always)]
fn least(x: f64, y: f64) -> f64 {
    if x < y || x.is_nan() { x } else { y }
}

/// The larger number; no number if one is none.
#[inline(always)]
fn largest(x: f64, y: f64) -> f64 {
    if x > y || x.is_nan() { x } else { y }
}

/// `yes` unless the condition is 0.
#[inline(always)]
pub(super) fn choose(condition: f64, yes: f64, no: f64) -> f64 {
    if condition == 0.0 { no } else { yes }
}

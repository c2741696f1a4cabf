//! The constants of the search: one table, each with its meaning.
//!
//! The numbers are those of one engine throughout (Viridithas 21; facts, not code), whose unit is
//! ours: about a hundredth of a pawn. Reductions are in 1024ths of a ply. With the feature `tune`
//! every row becomes a UCI option, and [`tunables`] lists them for an SPSA run.

/// One constant, as tuning sees it.
#[derive(Debug)]
pub struct Tunable {
    /// The option's name.
    pub name: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// Smallest sensible value.
    pub min: i32,
    /// Greatest sensible value.
    pub max: i32,
    /// The value in force.
    pub get: fn() -> i32,
    /// Changes the value; does nothing without the feature `tune`.
    pub set: fn(i32),
}

macro_rules! params {
    ($($(#[doc = $meaning:literal])+ $name:ident = $value:literal, $min:literal..=$max:literal;)*) => {
        $(
            $(#[doc = $meaning])+
            #[cfg(not(feature = "tune"))]
            #[inline]
            pub const fn $name() -> i32 { $value }
        )*

        #[cfg(feature = "tune")]
        mod values {
            use std::sync::atomic::AtomicI32;
            $(#[allow(non_upper_case_globals)] pub static $name: AtomicI32 = AtomicI32::new($value);)*
        }

        $(
            $(#[doc = $meaning])+
            #[cfg(feature = "tune")]
            #[inline]
            pub fn $name() -> i32 { values::$name.load(std::sync::atomic::Ordering::Relaxed) }
        )*

        static TUNABLES: &[Tunable] = &[$(Tunable {
            name: stringify!($name),
            meaning: concat!($($meaning),+),
            min: $min,
            max: $max,
            get: $name,
            #[cfg(feature = "tune")]
            set: |value| values::$name.store(value.clamp($min, $max), std::sync::atomic::Ordering::Relaxed),
            #[cfg(not(feature = "tune"))]
            set: |_| {},
        }),*];
    };
}

/// All constants, for the option list and for SPSA.
pub fn tunables() -> impl Iterator<Item = &'static Tunable> {
    TUNABLES.iter()
}

params! {
    /// First half-width of the aspiration window.
    aspiration_delta = 12, 4..=40;
    /// Divisor of the squared average score that widens the first window.
    aspiration_square_divisor = 30155, 8000..=100000;
    /// Growth of the window after a fail, in 128ths.
    aspiration_growth = 43, 10..=128;
    /// Further growth for every reduction by failing high, in 128ths.
    aspiration_growth_reduced = 19, 0..=64;

    /// Reverse futility: margin a ply.
    rfp_margin = 65, 30..=150;
    /// Reverse futility: margin less when improving and nothing of ours hangs.
    rfp_improving = 76, 0..=150;
    /// Reverse futility: greatest depth, exclusive.
    rfp_depth = 9, 4..=15;

    /// Razoring: constant margin.
    razor_base = 123, 0..=400;
    /// Razoring: margin a ply.
    razor_slope = 295, 100..=600;

    /// Null move: bonus to the evaluation when improving.
    nmp_improving = 132, 0..=250;
    /// Null move: evaluation required less for every ply.
    nmp_slope = 8, 0..=30;
    /// Null move: evaluation above beta that reduces one ply more.
    nmp_eval_divisor = 174, 80..=400;
    /// Null move: from this depth on its cutoff is verified.
    nmp_verify_depth = 12, 8..=20;

    /// ProbCut: how far beta is raised.
    probcut_margin = 176, 80..=350;
    /// ProbCut: how much less when improving.
    probcut_improving = 78, 0..=150;
    /// ProbCut: exchange threshold as 256ths of the gap to the raised beta.
    probcut_see = 266, 128..=512;
    /// ProbCut: evaluation above beta that takes one ply more off the depth.
    probcut_eval_divisor = 289, 100..=600;
    /// ProbCut: score above the raised beta that takes one ply more off the depth.
    probcut_ada_divisor = 300, 100..=600;

    /// Futility of quiet moves: constant margin.
    futility_base = 86, 20..=200;
    /// Futility of quiet moves: margin a ply.
    futility_slope = 70, 30..=150;
    /// Futility of quiet moves: history that is worth one unit.
    futility_history_divisor = 128, 32..=512;
    /// History pruning: the history below which a quiet move is skipped, a ply.
    history_pruning = -3186, -8000..=-500;
    /// Exchange pruning of quiet moves: threshold a ply.
    see_quiet = -62, -150..=-10;
    /// Exchange pruning of tactical moves: threshold a squared ply.
    see_tactical = -28, -80..=-5;
    /// Exchange pruning: threshold moved by history, in 1024ths.
    see_history = 25, 0..=100;

    /// Singular extension: least depth.
    singular_depth = 6, 4..=10;
    /// Singular extension: gap below the table's score, in 64ths a ply.
    singular_margin = 48, 20..=120;
    /// Double extension: how far below the singular bound.
    double_extension_margin = 13, 0..=60;
    /// Triple extension of quiet moves: how far below the singular bound.
    triple_extension_margin = 201, 60..=500;
    /// Double extensions allowed on one line.
    double_extension_limit = 12, 4..=24;

    /// Late move reduction: base in hundredths of a ply.
    lmr_base = 99, 30..=180;
    /// Late move reduction: divisor of the logarithms' product, in hundredths.
    lmr_divisor = 260, 150..=400;
    /// Late move reduction: constant.
    lmr_constant = 226, -1024..=1024;
    /// Late move reduction: more outside the principal variation.
    lmr_non_pv = 987, 0..=2048;
    /// Late move reduction: less where a principal variation once passed.
    lmr_tt_pv = 1289, 0..=2560;
    /// Late move reduction: more there if the table's score is no better than alpha.
    lmr_tt_pv_fail_low = 1136, 0..=2048;
    /// Late move reduction: more in expected cut nodes.
    lmr_cut_node = 1601, 0..=3072;
    /// Late move reduction: history that is worth one ply.
    lmr_history_divisor = 17017, 4096..=32768;
    /// Late move reduction: less for a killer move.
    lmr_killer = 775, 0..=2048;
    /// Late move reduction: more when not improving.
    lmr_not_improving = 613, 0..=2048;
    /// Late move reduction: more when the table's move is a capture.
    lmr_tt_capture = 999, 0..=2048;
    /// Late move reduction: less for every unit that the evaluation needed correcting.
    lmr_correction = 10, 0..=64;
    /// Late move reduction: more for every time alpha rose.
    lmr_alpha_raise = 384, 0..=1024;
    /// Late move reduction: less for moves that give check.
    lmr_check = 1361, 0..=2560;
    /// Re-search deeper: score above the best by this.
    lmr_deeper_base = 32, 0..=100;
    /// Re-search deeper: and by this for every ply of reduction.
    lmr_deeper_slope = 8, 0..=30;

    /// Hindsight: parent's reduction from which a worsening position is searched deeper.
    hindsight_deeper = 1419, 512..=4096;
    /// Hindsight: parent's reduction from which a quiet position is searched shallower.
    hindsight_shallower = 2494, 512..=4096;
    /// Hindsight: the two evaluations' sum from which it is shallower.
    hindsight_sum = 128, 20..=400;

    /// Evaluation difference to the parent's quiet move: offset.
    eval_difference_offset = 16, -64..=64;
    /// Evaluation difference to the parent's quiet move: multiplier in 32nds.
    eval_difference_slope = 227, 32..=512;
    /// Evaluation difference to the parent's quiet move: greatest bonus.
    eval_difference_max = 94, 20..=400;

    /// Quiescence: futility margin.
    quiescence_futility = 350, 100..=700;
    /// Quiescence: exchange threshold.
    quiescence_see = -141, -400..=0;
    /// Ordering: exchange threshold of a good capture.
    good_capture_see = -93, -300..=100;
    /// Ordering: bonus of a quiet check.
    check_bonus = 10000, 0..=20000;
    /// Ordering: exchange threshold of a quiet check that deserves its bonus.
    check_see = -175, -400..=0;
    /// Ordering: a minor piece entering or leaving a pawn's attack.
    escape_minor = 4000, 0..=16000;
    /// Ordering: a rook entering or leaving a lesser piece's attack.
    escape_rook = 8000, 0..=24000;
    /// Ordering: a queen entering or leaving a lesser piece's attack.
    escape_queen = 12000, 0..=32000;

    /// Weight of butterfly history in a move's statistic, in 32nds.
    stat_main = 26, 0..=64;
    /// Weight of one-ply continuation history in a move's statistic, in 32nds.
    stat_continuation_1 = 37, 0..=64;
    /// Weight of two-ply continuation history in a move's statistic, in 32nds.
    stat_continuation_2 = 33, 0..=64;
    /// Weight of four-ply continuation history in a move's statistic, in 32nds.
    stat_continuation_4 = 13, 0..=64;
    /// Weight of capture history in a tactical move's statistic, in 32nds.
    stat_capture = 43, 0..=96;

    /// Correction by pawn structure: weight.
    correction_pawns = 1890, 0..=4096;
    /// Correction by major pieces: weight.
    correction_majors = 1461, 0..=4096;
    /// Correction by minor pieces: weight.
    correction_minors = 1292, 0..=4096;
    /// Correction by one colour's pieces: weight.
    correction_non_pawns = 1887, 0..=4096;
    /// Correction by the last moves: weight.
    correction_continuation = 1942, 0..=4096;
}

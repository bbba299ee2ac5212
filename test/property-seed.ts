import fc from 'fast-check';

// The same cases in every run, so that delivery does not fail by chance; FAST_CHECK_SEED tries others.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_261_122) });

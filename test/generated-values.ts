import { configureGlobal } from 'fast-check'

/**
 * CI judges a change, not the luck of the day: its generated values are the same in each run. At a desk and in the soak
 * every run draws others, and what fails there prints the seed that shows it again.
 */
if (process.env.CI && !process.env.OOOI_SOAK) configureGlobal({ seed: 20_260_615 })

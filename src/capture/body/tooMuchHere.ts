/** Not a failure: the work is too much for the loop and must be done in the thread. */
export class TooMuchHere extends Error {}

/** Not a failure: the work is more than may be done on the loop, and is to be done aside. */
export class TooMuchHere extends Error {}

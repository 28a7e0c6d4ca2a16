/** What a front does wrong, where a test plants it. */
export interface FrontWrongs {
  /** Rule 2: publishes to whatever stream is there. */
  trustsStreams?: boolean;
  /** Rule 3: its frame ids come again after a restart, and it takes a duplicate for its own frame. */
  reusesIds?: boolean;
  /** Rule 4: sends later frames before one that was not acknowledged. */
  sendsLaterFirst?: boolean;
  /** Rule 4: goes on with a request of which a frame was given up. */
  goesOnAfterFailure?: boolean;
  /** Rule 6: does not wait for the copy of a merging event. */
  mergesLast?: boolean;
  /** Rule 6: does not wait for what a request says before a merge. */
  takesNoTurns?: boolean;
  /** Rule 8: purges what is not settled. */
  purgesEverything?: boolean;
  /** Rule 11: unlinks files that are being written. */
  collectsPending?: boolean;
}

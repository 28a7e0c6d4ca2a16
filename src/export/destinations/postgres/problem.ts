import { SQL } from "bun";
import { RetryableError, TerminalError, WeirError } from "../../../types/mod.ts";

/** States of SQLSTATE that pass: connection, a server that is being replaced, resources (a full disk too), an operator, its disk, rollbacks. */
const PASSING = /^(08|25006|53|57|58|40|55P03|XX)/;
/** A number is out of range, or its exponent is. */
const OF_NUMBER = new Set(["22003", "22P02"]);

export const isOfNumber = (error: unknown): boolean =>
  error instanceof SQL.PostgresError && OF_NUMBER.has(error.errno ?? "");

export const hasNotAnswered = (ms: number): RetryableError =>
  new RetryableError(
    "destination_unavailable",
    `The database has not answered for ${ms / 1000} s. Is the table locked?`,
  );

/** What a failure of the database means for the run. */
export function postgresProblem(error: unknown): unknown {
  if (error instanceof WeirError || !(error instanceof SQL.SQLError)) return error;
  const state = error instanceof SQL.PostgresError ? (error.errno ?? "") : "";
  const sentence = `The database answered: ${error.message}${state === "" ? "" : ` (${state})`}`;
  const isAnswer = error instanceof SQL.PostgresError && error.code === "ERR_POSTGRES_SERVER_ERROR";
  return !isAnswer || PASSING.test(state)
    ? new RetryableError("destination_unavailable", sentence, { cause: error })
    : new TerminalError("destination_refused", sentence, { cause: error });
}

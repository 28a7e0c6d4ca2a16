import type { Client } from "../client.ts";
import type { Receiver } from "../receiver.ts";
import type { Universe } from "../universe.ts";
import { checkMessages, checkStates, checkUsage } from "./effects.ts";
import { checkAcknowledged, checkOutcomes } from "./outcomes.ts";
import { checkPersons } from "./persons.ts";
import { checkDeleted, checkOrder, checkPersonIds, checkRows } from "./rows.ts";
import { Run } from "./run.ts";
import { checkTurns } from "./turns.ts";

/** Compares what a drained run has stored with what was accepted. Throws Violation for the first promise that is broken. */
export function checkEverything(universe: Universe, clients: readonly Client[], receiver: Receiver): void {
  const run = new Run(universe, clients, receiver);
  checkAcknowledged(run);
  checkDeleted(run);
  checkRows(run);
  checkOutcomes(run);
  checkOrder(run);
  checkPersonIds(run);
  checkUsage(run);
  checkStates(run);
  checkMessages(run);
  checkPersons(run);
  checkTurns(run);
}

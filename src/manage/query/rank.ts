import { createHash } from "node:crypto";
import type { Offered } from "../../stream/mod.ts";

/**
 * Processes in the order in which they are asked for a project (rendezvous hashing): the same for all askers, and after a restart.
 * One that comes takes its share of the projects, one that goes leaves its own to others; no other project moves.
 */
export function ranked(offers: readonly Offered[], teamId: number): Offered[] {
  const scored = offers.map((offer) => ({
    offer,
    score: [offer.place, offer.id].map((text) => scoreOf(teamId, text)),
  }));
  // Processes of one place share its files.
  const compared = (a: string[], b: string[]): number => (a.join() < b.join() ? -1 : 1);
  return scored.sort((a, b) => compared(a.score, b.score)).map(({ offer }) => offer);
}

const scoreOf = (teamId: number, text: string): string =>
  createHash("sha256").update(`${teamId} ${text}`).digest("hex");

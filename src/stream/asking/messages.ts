/** What goes between a process that asks and one that offers its help. No stream takes these subjects: nothing of it is kept. */

/** Each process that offers help says so here. */
export const beatSubject = (service: string): string => `offers.${service}`;
/** An asker that begins wants to hear it at once. */
export const whoSubject = (service: string): string => `who.${service}`;
export const askSubject = (service: string, id: string): string => `asks.${service}.${id}`;
export const factsSubject = (service: string, id: string): string => `facts.${service}.${id}`;

export const OFFER_BEAT_MS = 1_000;
/** One that has said nothing for so long is not asked. */
export const OFFER_SILENT_MS = 3_500;
/** One that has not taken what it is asked by then is left alone. */
export const TAKEN_WITHIN_MS = 1_000;
export const WORK_BEAT_MS = 500;
/** One that says nothing of its work for so long is taken for dead. */
export const WORK_SILENT_MS = 3_000;

/** What a process says of itself; `isGone`: its last word. */
export interface OfferBeat {
  id: string;
  place: string;
  isGone?: boolean;
}

/** A word, and what belongs to it; `left`: the process ends over the question. */
export type Word = "taken" | "busy" | "working" | "answer" | "left";

export const worded = (word: Word, text = ""): string => `${word}\n${text}`;

/** Of a message: its first line, and the rest. */
export function firstLine(message: string): [line: string, rest: string] {
  const end = message.indexOf("\n");
  return [message.slice(0, end), message.slice(end + 1)];
}

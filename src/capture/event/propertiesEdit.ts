import { COMMA, OPEN_OBJECT } from "../../json/mod.ts";
import type { Span } from "../../types/mod.ts";
import { EVENT } from "../outline/keys.ts";
import { ENTRY, KEY_BITS, type Members, skipBlanks } from "../outline/outline.ts";

/** Changes to the text of an event's `properties`; the rest stays as it was written. */
export class PropertiesEdit {
  /** Entries of the members that are left out. */
  private cuts: number[] | null = null;
  private added = "";

  constructor(private readonly members: Members) {}

  /** Leaves a member out, however often it was written. */
  remove(key: number): void {
    const { members } = this;
    if (!members.has(key)) return;
    this.cuts ??= [];
    for (let i = members.from; i < members.to; i += ENTRY)
      if ((members.entries[i]! & KEY_BITS) === key) this.cuts.push(i);
  }

  /** Adds the text of a member, a comma before it. The caller has removed any of that name. */
  add(text: string): void {
    this.added = this.added === "" ? text : this.added + text;
  }

  /** The changed object; `added` is still to be written behind its last member (as `OutgoingEvent`). */
  finish(): { properties: string | Span; added: string } {
    const { members, added } = this;
    const isGiven = members.typeOf(EVENT.properties) === OPEN_OBJECT;
    const properties = !isGiven ? "{}" : this.cuts === null ? this.given() : `{${this.kept(this.cuts)}}`;
    if (added !== "" && isEmpty(properties)) return { properties: `{${added.slice(1)}}`, added: "" };
    return { properties, added };
  }

  private given(): Span {
    const { members } = this;
    return { bytes: members.bytes, start: members.start(EVENT.properties), end: members.end(EVENT.properties) };
  }

  /** The text between the braces without the cuts; each cut takes the comma behind it along. */
  private kept(cuts: number[]): string {
    const { bytes, entries } = this.members;
    const { start, end } = this.given();
    let at = start + 1;
    let kept = "";
    for (const cut of cuts.sort((a, b) => a - b)) {
      kept += bytes.toString("utf8", at, entries[cut + 1]!);
      at = skipBlanks(bytes, entries[cut + 3]!);
      if (bytes[at] === COMMA) at++;
    }
    kept = `${kept}${bytes.toString("utf8", at, end - 1)}`.trimEnd();
    return kept.endsWith(",") ? kept.slice(0, -1) : kept;
  }
}

function isEmpty(object: string | Span): boolean {
  return typeof object === "string" ? object === "{}" : skipBlanks(object.bytes, object.start + 1) === object.end - 1;
}

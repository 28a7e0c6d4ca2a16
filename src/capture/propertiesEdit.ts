import { EVENT } from "./keys.ts";
import { ENTRY, type Members, OPEN_OBJECT } from "./outline.ts";

const COMMA = 0x2c;

/** Changes to the text of an event's `properties`; what is not touched stays as it was written. */
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
    for (let i = members.from; i < members.to; i += ENTRY) if (members.entries[i] === key) this.cuts.push(i);
  }

  /** Adds the text of a member, a comma before it. The caller has removed any of that name. */
  add(text: string): void {
    this.added = this.added === "" ? text : this.added + text;
  }

  /** The text of the object as changed, but for what is to be written behind its last member (as `OutgoingEvent`). */
  finish(): { properties: string; added: string } {
    const { members, added } = this;
    const given = members.typeOf(EVENT.properties) === OPEN_OBJECT ? members.raw(EVENT.properties) : "{}";
    const properties = this.cuts === null ? given : `{${this.kept(given, this.cuts)}}`;
    if (added !== "" && isEmpty(properties)) return { properties: `{${added.slice(1)}}`, added: "" };
    return { properties, added };
  }

  /** What stands between the braces without the cuts, each taken with the comma behind it. */
  private kept(given: string, cuts: number[]): string {
    const { text, entries } = this.members;
    const end = this.members.end(EVENT.properties) - 1;
    let at = end - given.length + 2;
    let kept = "";
    for (const cut of cuts.sort((a, b) => a - b)) {
      kept += text.slice(at, entries[cut + 1]!);
      at = skipBlanks(text, entries[cut + 3]!);
      if (text.charCodeAt(at) === COMMA) at++;
    }
    kept = `${kept}${text.slice(at, end)}`.trimEnd();
    return kept.endsWith(",") ? kept.slice(0, -1) : kept;
  }
}

function isEmpty(object: string): boolean {
  return skipBlanks(object, 1) === object.length - 1;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

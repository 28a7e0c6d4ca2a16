import { EVENT } from "./keys.ts";
import { ENTRY, type Members, OPEN_OBJECT } from "./outline.ts";

const COMMA = 0x2c;

/** Changes to the text of an event's `properties`; what is not touched stays as it was written. */
export class PropertiesEdit {
  private readonly members: Members;
  /** Entries of the members that are left out. */
  private cuts: number[] | null = null;
  private added = "";

  constructor(members: Members) {
    this.members = members;
  }

  /** Leaves a member out, however often it was written. */
  remove(key: number): void {
    const { members } = this;
    if (!members.has(key)) return;
    this.cuts ??= [];
    for (let i = members.from; i < members.to; i += ENTRY) if (members.entries[i] === key) this.cuts.push(i);
  }

  /** Adds the text of one or more members, with commas between. The caller has removed any of that name. */
  add(text: string): void {
    this.added = this.added === "" ? text : `${this.added},${text}`;
  }

  /** The text of the object as changed. */
  text(): string {
    const { members } = this;
    const isObject = members.typeOf(EVENT.properties) === OPEN_OBJECT;
    const given = isObject ? members.raw(EVENT.properties) : "{}";
    if (this.cuts === null && this.added === "") return given;
    const kept = this.cuts === null ? given.slice(1, -1) : this.kept(given, this.cuts);
    if (this.added === "") return `{${kept}}`;
    return isBlank(kept) ? `{${this.added}}` : `{${kept},${this.added}}`;
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

function isBlank(text: string): boolean {
  return skipBlanks(text, 0) === text.length;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

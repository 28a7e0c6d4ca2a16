import type { Json } from "./match.ts";

/** What a capture case's placeholders stand for; fixed within the case but for times, which are those of sending. */
export class Placeholders {
  private readonly unique = crypto.randomUUID().slice(0, 8);
  private readonly uuids = new Map<string, string>();

  constructor(private readonly token: string) {}

  /** In every text of a document, keys included. */
  fill<T extends Json>(value: T): T {
    return this.fillAny(value) as T;
  }

  private fillAny(value: Json): Json {
    if (typeof value === "string") return this.fillText(value);
    if (Array.isArray(value)) return value.map((item) => this.fillAny(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.fillText(key), this.fillAny(member)]));
  }

  private fillText(text: string): string {
    return text.includes("{{")
      ? text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => this.valueOf(name) ?? whole)
      : text;
  }

  private valueOf(name: string): string | null {
    if (name === "TOKEN") return this.token;
    if (name === "U") return this.unique;
    if (/^UUID\d*$/.test(name)) {
      const known = this.uuids.get(name) ?? crypto.randomUUID();
      this.uuids.set(name, known);
      return known;
    }
    const repeat = /^REPEAT:(.+):(\d+)$/su.exec(name);
    if (repeat !== null) return repeat[1]!.repeat(Number(repeat[2]));
    const time = /^(ISO|MS):([+-]?\d+(?:\.\d+)?)s$/.exec(name);
    if (time === null) return null;
    const ms = Date.now() + Math.round(Number(time[2]) * 1000);
    return time[1] === "ISO" ? new Date(ms).toISOString() : String(ms);
  }
}

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Which object here each object there became. A file, so that a later run knows what has another name by then. */
export class Known {
  private constructor(
    private readonly path: string | null,
    private readonly entries: Map<string, { to: number; isWhole: boolean }>,
  ) {}

  /** Null: for this run alone. */
  static open(path: string | null): Known {
    if (path === null || !existsSync(path)) return new Known(path, new Map());
    return new Known(path, new Map(JSON.parse(readFileSync(path, "utf8"))));
  }

  find(kind: string, id: number): { to: number; isWhole: boolean } | undefined {
    return this.entries.get(`${kind} ${id}`);
  }

  /** `isWhole`: with all that belongs to it. */
  note(kind: string, id: number, to: number, isWhole: boolean): void {
    this.entries.set(`${kind} ${id}`, { to, isWhole });
    if (this.path === null) return;
    const aside = `${this.path}.new`;
    writeFileSync(aside, JSON.stringify([...this.entries]), { mode: 0o600, flush: true });
    renameSync(aside, this.path);
  }
}

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { ObjectId } from "./model.ts";

interface Entry {
  kind: string;
  id: ObjectId;
  to: ObjectId;
}

/** Which object here each object there became. A file of lines, so that a later run knows what has another name by then. */
export class Known {
  private constructor(
    private readonly path: string | null,
    private readonly entries: Map<string, ObjectId>,
  ) {}

  /** Null: for this run alone. */
  static open(path: string | null): Known {
    const entries = new Map<string, ObjectId>();
    const text = path !== null && existsSync(path) ? readFileSync(path, "utf8") : "";
    for (const line of text.split("\n")) {
      const entry = entryIn(line);
      if (entry !== null) entries.set(`${entry.kind} ${entry.id}`, entry.to);
    }
    return new Known(path, entries);
  }

  find(kind: string, id: ObjectId): ObjectId | undefined {
    return this.entries.get(`${kind} ${id}`);
  }

  /** Once it is there with all that belongs to it. */
  note(kind: string, id: ObjectId, to: ObjectId): void {
    if (this.find(kind, id) === to) return;
    this.entries.set(`${kind} ${id}`, to);
    // A line break in front: a kill may have left half a line.
    if (this.path !== null) appendFileSync(this.path, `\n${JSON.stringify({ kind, id, to })}\n`, { mode: 0o600 });
  }
}

function entryIn(line: string): Entry | null {
  if (line === "") return null;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return null;
  }
}

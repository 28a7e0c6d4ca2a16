import type { Session } from "./duckdb.ts";
import { duckdbClient } from "./duckdbClient.ts";

/** Values that a session's statements read as constants, so that no text of a user is SQL text. */
export class BoundVariables {
  private readonly values: (string | readonly string[])[] = [];

  constructor(private readonly prefix = "v") {}

  text(value: string): string {
    return `getvariable('${this.add(value)}')`;
  }

  list(values: readonly string[]): string {
    return `getvariable('${this.add(values)}')`;
  }

  async set(session: Session): Promise<void> {
    for (const [i, value] of this.values.entries()) {
      const bound = typeof value === "string" ? value : duckdbClient().listValue([...value]);
      await session.run(`set variable ${this.prefix}${i} = $1`, [bound]);
    }
  }

  private add(value: string | readonly string[]): string {
    const known = typeof value === "string" ? this.values.indexOf(value) : -1;
    return `${this.prefix}${known >= 0 ? known : this.values.push(value) - 1}`;
  }
}

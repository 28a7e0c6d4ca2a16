/** A process that raises a counter: bun incrementer.ts TARGET TIMES */
import { openDb } from "../../src/schema.ts";

const [target, times] = process.argv.slice(2);
const db = await openDb(JSON.parse(target!));
for (let i = 0; i < Number(times); i++) await db.write((tx) => tx`update counter set n = n + 1`);
await db.close();

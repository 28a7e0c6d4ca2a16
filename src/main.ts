#!/usr/bin/env bun
import { weir } from "./commands/weir.ts";

// What Weir writes is its user's alone.
process.umask(0o077);
process.exit(await weir(process.argv.slice(2)));

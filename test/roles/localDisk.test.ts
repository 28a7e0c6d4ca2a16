import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { assertLocalDisk } from "../../src/roles/paths.ts";

test("a network file system is refused by name, a local disk is not", () => {
  // As the system call gives them: some are negative in 32 bits.
  for (const [type, name] of [
    [0x6969, "NFS"],
    [0xff534d42 | 0, "CIFS"],
  ] as const) {
    expect(() => assertLocalDisk("/mnt/share", () => type)).toThrow(name);
  }
  expect(() => assertLocalDisk("/var", () => 0xef53)).not.toThrow();
  expect(() => assertLocalDisk(tmpdir())).not.toThrow();
});

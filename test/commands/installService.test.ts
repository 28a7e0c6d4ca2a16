import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { runCommand, WEIR, weirOn } from "./weirProcess.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-service-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const isRoot = userInfo().uid === 0;
const USER = isRoot ? ["--user", "nobody"] : [];

test("a unit runs this Weir with the settings of the shell", async () => {
  const env = { WEIR_PORT: "8123", NATS_URL: 'nats://a$b%c"d@host:4222' };
  const { out, code } = await weirOn(folder, ["install-service", "--print", ...USER], env);
  expect(code).toBe(0);
  expect(out).toContain(`ExecStart="${WEIR}" start\n`);
  expect(out).toContain(`Environment="WEIR_DATA_DIR=${folder}"\n`);
  expect(out).toContain('Environment="WEIR_PORT=8123"\n');
  expect(out).toContain('Environment="NATS_URL=nats://a$b%%c\\"d@host:4222"\n');
  if (Bun.which("systemd-analyze") === null) return;
  const unit = join(folder, "weir.service");
  writeFileSync(unit, out);
  expect(await runCommand(["systemd-analyze", "verify", "--man=no", unit])).toMatchObject({ code: 0 });
});

test("a unit has the credentials of a bucket, and none where there is no bucket", async () => {
  const aws = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret", AWS_REGION: "eu-1", AWS_PROFILE: "mine" };
  const unitWith = (env: Record<string, string>) =>
    weirOn(folder, ["install-service", "--print", ...USER], { ...aws, WEIR_API_KEY: "phx_mine", ...env });
  const { out } = await unitWith({ WEIR_STORE_URL: "s3://bucket/weir" });
  for (const line of ["AWS_ACCESS_KEY_ID=id", "AWS_SECRET_ACCESS_KEY=secret", "AWS_REGION=eu-1"]) {
    expect(out).toContain(`Environment="${line}"\n`);
  }
  expect(out).not.toMatch(/AWS_PROFILE|WEIR_API_KEY/);
  expect((await unitWith({})).out).not.toContain("AWS_");
});

test("a user's unit is written once", async () => {
  if (isRoot) {
    const { error, code } = await weirOn(folder, ["install-service"]);
    expect(code).toBe(2);
    expect(error).toContain("--user NAME");
    return;
  }
  const env = { XDG_CONFIG_HOME: folder };
  expect((await weirOn(folder, ["install-service"], env)).out).toContain(join(folder, "systemd/user/weir.service"));
  expect((await weirOn(folder, ["install-service"], env)).error).toContain("--force replaces it");
});

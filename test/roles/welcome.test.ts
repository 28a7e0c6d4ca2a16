import { expect, test } from "bun:test";
import { loadConfig } from "../../src/config.ts";
import { welcome } from "../../src/roles/welcome.ts";

const KEYS = { projectApiKey: "phc_a", personalApiKey: "phx_a", warnings: [] };
const shown = (env: Record<string, string>) => welcome(loadConfig(env), 8000, KEYS, null);

test("the welcome names the settings that a command on another terminal lacks", () => {
  expect(shown({})).not.toContain("needs");
  const many = { DATABASE_URL: "postgres://db/weir", NATS_URL: "nats://a:4222", WEIR_STORE_URL: "s3://lake/weir" };
  expect(shown(many)).toContain(
    "The weir command needs DATABASE_URL, NATS_URL, WEIR_STORE_URL, and the credentials of the bucket, as this process has them.",
  );
  expect(shown({ WEIR_STORE_URL: "/srv/weir" })).toContain("needs WEIR_STORE_URL as this process");
});

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { COMMANDS } from "../../src/commands/table.ts";

const REPO = new URL("../..", import.meta.url).pathname;
const read = (path: string) => readFileSync(join(REPO, path), "utf8");

/** The fragments by which links reach the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

test("each panel of the dashboard tells what it shows, and asks for it", () => {
  const { panels } = JSON.parse(read("deploy/grafana/weir.json")) as {
    panels: { id: number; type: string; description?: string; targets?: { expr: string }[] }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const shown = panels.filter(({ type }) => type !== "row");
  expect(shown.length).toBeGreaterThan(15);
  for (const { description, targets } of shown) {
    expect(description).not.toBeEmpty();
    expect(targets?.every(({ expr }) => expr.includes("weir_"))).toBe(true);
  }
});

test("each alert names a section of the runbook", () => {
  const { groups } = YAML.parse(read("deploy/prometheus/weir.rules.yml")) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  const anchors = anchorsOf("docs/runbook.md");
  for (const { alert, expr, labels, annotations } of rules) {
    expect(expr).toMatch(/\bweir_|^up\{/);
    const [, anchor = ""] = /^docs\/runbook\.md#([\w-]+)$/.exec(annotations.runbook) ?? [];
    expect({ alert, isThere: anchors.has(anchor) }).toEqual({ alert, isThere: true });
    expect(["critical", "warning"]).toContain(labels.severity);
    expect(annotations.summary).not.toBe("");
  }
  // What a section is for is one of the alerts, and the other way round.
  const sections = read("docs/runbook.md")
    .split("\n## The alerts\n")[1]!
    .matchAll(/^### (.+)$/gm);
  const named = new Set(rules.map(({ annotations }) => annotations.runbook.split("#")[1]));
  expect([...sections].map(([, heading]) => heading!.toLowerCase().replaceAll(" ", "-"))).toEqual([
    ...named,
  ] as string[]);
});

interface Service {
  image?: string;
  environment?: Record<string, string>;
  command?: string[];
  depends_on?: Record<string, unknown>;
  volumes?: string[];
}

test("compose files set settings that there are, pin images, and run commands of weir", () => {
  for (const path of ["deploy/compose/one.yml", "deploy/compose/cluster.yml"]) {
    const file = YAML.parse(read(path)) as { services: Record<string, Service>; volumes: Record<string, unknown> };
    for (const [name, service] of Object.entries(file.services)) {
      const { image = "", environment = {}, command = [], volumes = [] } = service;
      for (const volume of volumes) expect(Object.keys(file.volumes)).toContain(volume.split(":")[0]!);
      for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(file.services)).toContain(other);
      if (image !== "weir") {
        expect(image).toMatch(/^[\w/]+:v?\d+\.\d+/);
        continue;
      }
      for (const setting of Object.keys(environment)) expect(read("src/config.ts")).toContain(`"${setting}"`);
      const [role = "start"] = command;
      expect({ name, isCommand: COMMANDS.some((each) => each.name === role) }).toEqual({ name, isCommand: true });
    }
  }
});

test("the image has what its steps name", () => {
  const steps = read("deploy/Dockerfile").replaceAll("\\\n", "");
  for (const [, image] of steps.matchAll(/^FROM (\S+)/gm)) expect(image).toMatch(/:\d+\.\d+\.\d+/);
  const ignored = read("deploy/Dockerfile.dockerignore").trim().split("\n");
  for (const [, list] of steps.matchAll(/^COPY --chown=weir (.+) \S+$/gm)) {
    for (const path of list!.split(" ")) {
      expect(existsSync(join(REPO, path))).toBe(true);
      expect(ignored).not.toContain(path.split("/")[0]!);
    }
  }
  for (const [, setting] of steps.matchAll(/\b(WEIR_\w+)=/g)) expect(read("src/config.ts")).toContain(`"${setting}"`);
});

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const SOURCE = readFileSync(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir), "utf8");

const RUN = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations))`;

interface Found {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** The rules of axe that a page breaks, each with the places. The checker runs in a world of its own: the page's policy lets none in. */
export async function axeViolations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send("Page.getFrameTree");
    const { executionContextId } = await session.send("Page.createIsolatedWorld", {
      frameId: frameTree.frame.id,
      worldName: "axe",
    });
    const evaluate = (expression: string) =>
      session.send("Runtime.evaluate", {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      });
    // The world stays with its document.
    const present = await evaluate("typeof axe");
    if (present.result.value === "undefined") await evaluate(`${SOURCE}; 0`);
    const { result, exceptionDetails } = await evaluate(RUN);
    if (exceptionDetails !== undefined)
      throw new Error(`axe did not run: ${exceptionDetails.text} ${result.description}`);
    return (JSON.parse(result.value) as Found[]).map(describe);
  } finally {
    await session.detach();
  }
}

function describe({ id, help, nodes }: Found): string {
  const places = nodes.map(({ html, failureSummary }) => `  ${html.slice(0, 200)}\n    ${failureSummary ?? ""}`);
  return `${id}: ${help}\n${places.join("\n")}`;
}

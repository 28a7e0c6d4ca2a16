import { expect, test } from "bun:test";
import { openWindow } from "../support/chromium.ts";
import { startManage } from "../support/manage.ts";

test("the page at /swagger shows the operations, and asks no other host for anything", async () => {
  const server = await startManage();
  try {
    await using browser = await openWindow();
    const page = await browser.newPage();
    page.setDefaultTimeout(100_000);
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${server.url}/swagger/`);
    await page.locator('[data-tag="insights"]').click();
    await page.getByText("List the insights").first().click();
    await page.getByText("filters_override").first().waitFor();
    expect(asked.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith("data:"))).toEqual([]);
    expect(complaints).toEqual([]);
  } finally {
    await server.stop();
  }
});

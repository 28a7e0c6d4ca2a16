import type { Locator } from "playwright-core";
import type { Visitor } from "./visitor.ts";

/** The page of a question, as somebody uses it. */
export class Question {
  constructor(private readonly visitor: Visitor) {}

  private get page() {
    return this.visitor.page;
  }

  get form(): Locator {
    return this.page.getByRole("region", { name: "Question" });
  }

  get answer(): Locator {
    return this.page.getByRole("region", { name: "Answer" });
  }

  /** The chart, once it is that of the question as it stands. */
  async drawn(inside?: string): Promise<Locator> {
    const chart = this.answer.locator(".insight-view[aria-busy=false] .insight-chart:not(.old)");
    await chart.waitFor();
    if (inside !== undefined) await chart.locator(inside).first().waitFor();
    return chart;
  }

  async kind(title: string): Promise<void> {
    await this.page.getByRole("group", { name: "Kind of question" }).getByText(title, { exact: true }).click();
  }

  /** Picks an event by typing, in the picker that stands in a part of the form. */
  async event(part: string, text: string, at = 0): Promise<void> {
    await this.form.getByRole("group", { name: part }).locator(".one-picker button").nth(at).click();
    await this.pick(text);
  }

  async add(button: string, text: string): Promise<void> {
    await this.form.getByRole("button", { name: button, exact: true }).click();
    await this.pick(text);
  }

  /** The first of what is found in the picker that is open. */
  private async pick(text: string): Promise<void> {
    const typed = this.page.locator(".search-list input[role=combobox]");
    await typed.fill(text);
    await this.page.locator(".listbox-option").first().waitFor();
    await typed.press("Enter");
    await typed.waitFor({ state: "detached" });
  }

  async select(label: string, option: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).first().selectOption({ label: option });
  }

  /** One of a few that stand beside each other. */
  async segment(group: string, choice: string): Promise<void> {
    await this.page.getByRole("group", { name: group }).getByText(choice, { exact: true }).click();
  }

  /** Names and saves it; gives its address. */
  async save(name: string): Promise<string> {
    await this.page.getByRole("textbox", { name: "Name" }).fill(name);
    await this.page.getByRole("button", { name: "Save", exact: true }).click();
    await this.page.waitForURL((url) => !url.pathname.includes("/new"));
    return new URL(this.page.url()).pathname.replace(/\/edit$/, "");
  }

  /** The list of people that is open: what it says, and how many it has. */
  async people(): Promise<{ said: string; listed: number }> {
    const dialog = this.page.getByRole("dialog");
    const totals = dialog.getByText(/^\d[\d,]* (?:person|people)/);
    await totals.waitFor();
    await dialog.locator(".people-loading").waitFor({ state: "detached" });
    return { said: (await totals.textContent()) ?? "", listed: await dialog.locator(".people-list > li").count() };
  }

  async closeDialog(): Promise<void> {
    await this.page.keyboard.press("Escape");
    await this.page.getByRole("dialog").waitFor({ state: "detached" });
  }
}

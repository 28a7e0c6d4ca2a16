import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";
const COOKIE = "weir_theme";
const YEAR_S = 31_536_000;

/** Light, dark, or as the system has it. The server reads it from a cookie, so that a page never flashes. */
export const theme = signal<Theme>((document.documentElement.dataset.theme as Theme | undefined) ?? "auto");

const systemDark = matchMedia("(prefers-color-scheme: dark)");
/** Whether the page is dark now; charts draw with it. */
export const isDark = signal(dark());

/** Takes a theme, and keeps it in a cookie that the server reads. */
export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  const age = next === "auto" ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it before any script runs
  document.cookie = `${COOKIE}=${next}; Path=/; Max-Age=${age}; SameSite=Lax`;
  isDark.value = dark();
}

function dark(): boolean {
  return theme.value === "auto" ? systemDark.matches : theme.value === "dark";
}

systemDark.addEventListener("change", () => {
  isDark.value = dark();
});

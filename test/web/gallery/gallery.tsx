import { type ComponentChildren, render } from "preact";
import { setTheme, type Theme } from "../../../src/web/app/session/theme.ts";
import { GALLERY } from "./states.tsx";

/** What was picked, in order: the test reads it. */
declare global {
  interface Window {
    picks: unknown[];
  }
}
window.picks = [];

/** One page a chart, a card a state: `?chart=pie&state=plain`; all of them without either. */
const wanted = new URLSearchParams(window.location.search);
setTheme((wanted.get("theme") as Theme | null) ?? "auto");

function Card({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  return (
    <section id={id} class="gallery-card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Gallery() {
  const pick = (...what: unknown[]) => window.picks.push(what);
  return (
    <main class="gallery">
      <h1>Charts</h1>
      {GALLERY.filter(({ chart }) => [null, chart].includes(wanted.get("chart"))).map(({ chart, states }) =>
        Object.entries(states)
          .filter(([state]) => [null, state].includes(wanted.get("state")))
          .map(([state, { heightPx, widthPx, draw }]) => (
            <Card key={`${chart}-${state}`} id={`${chart}-${state}`} title={`${chart}: ${state}`}>
              <div class="gallery-box" style={{ height: `${heightPx ?? 260}px`, width: widthPx && `${widthPx}px` }}>
                {draw(pick)}
              </div>
            </Card>
          )),
      )}
    </main>
  );
}

render(<Gallery />, document.getElementById("app")!);

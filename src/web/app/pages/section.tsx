import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a page of settings: what it is about at the left, what can be done at the right. */
export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-about">
        <h2 id={id}>{title}</h2>
        {about !== undefined && <p>{about}</p>}
      </div>
      <div class="section-body">{children}</div>
    </section>
  );
}

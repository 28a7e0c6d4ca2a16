import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A part of a page of settings: what it is about at the left, what can be done at the right. An address can end with its title: "#test-accounts". */
export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}) {
  const place = useRef<HTMLElement>(null);
  const id = title.toLowerCase().replaceAll(" ", "-");
  useEffect(() => {
    if (window.location.hash === `#${id}`) place.current?.scrollIntoView();
  }, []);
  return (
    <section ref={place} id={id} class="section">
      <div class="section-about">
        <h2>{title}</h2>
        {about !== undefined && <p>{about}</p>}
      </div>
      <div class="section-body">{children}</div>
    </section>
  );
}

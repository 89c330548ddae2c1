// What scrolls by itself can be reached by the keyboard too (WCAG 2.1, 2.1.1), and a table that does
// says what it is: by its heading.
function makeScrollableReachable() {
  let heading = "";
  const parts = "h1, h2, h3, h4, pre > code, .md-typeset__scrollwrap";
  for (const part of document.querySelectorAll(`.md-typeset :is(${parts})`)) {
    if (/^H\d$/.test(part.tagName)) {
      heading = part.textContent.replace("\u00b6", "").trim();
      continue;
    }
    const scrolls = part.scrollWidth > part.clientWidth;
    const given = { tabindex: "0" };
    if (part.tagName !== "CODE") Object.assign(given, { role: "region", "aria-label": `Table: ${heading}` });
    for (const [name, value] of Object.entries(given)) {
      if (scrolls) part.setAttribute(name, value);
      else part.removeAttribute(name);
    }
  }
}
addEventListener("load", makeScrollableReachable);
addEventListener("resize", makeScrollableReachable);

// What scrolls by itself can be reached by the keyboard too (WCAG 2.1, 2.1.1).
function makeScrollableReachable() {
  for (const part of document.querySelectorAll(".md-typeset pre > code, .md-typeset table")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}
addEventListener("load", makeScrollableReachable);
addEventListener("resize", makeScrollableReachable);

# The pages with generated parts, and the target docs_reference that writes these anew (`make docs`).
set(TASKTWIN_GENERATED_PAGES
  README.md docs/designs.md docs/reference/accuracy.md docs/reference/axes.md docs/reference/constants.md
  docs/reference/runtimes.md docs/reference/tasks.md)
add_custom_target(docs_reference
  COMMAND sh scripts/docs.sh $<TARGET_FILE:tasktwin> ${TASKTWIN_GENERATED_PAGES}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Writing the generated parts of docs/"
  VERBATIM)
add_dependencies(docs_reference tasktwin)

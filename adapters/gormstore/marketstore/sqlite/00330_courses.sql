-- +goose Up
-- The lists of courses, one for each term of a university. The newest id of a university is its
-- present term.
CREATE TABLE course_lists (
    id             INTEGER PRIMARY KEY,
    university_key TEXT NOT NULL,
    term_key       TEXT NOT NULL,
    university     TEXT NOT NULL,
    term           TEXT NOT NULL,
    courses        INTEGER NOT NULL, -- how many it has
    books          INTEGER NOT NULL, -- of all courses
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL  -- when the courses were uploaded last
);
CREATE UNIQUE INDEX course_lists_term ON course_lists (university_key, term_key); -- the list of a term
CREATE INDEX course_lists_newest ON course_lists (university_key, id);            -- the terms of a university

CREATE TABLE courses (
    id       INTEGER PRIMARY KEY,
    list_id  INTEGER NOT NULL,
    place    INTEGER NOT NULL, -- 1, 2, 3, … in the order of the keys
    code_key TEXT NOT NULL,
    code     TEXT NOT NULL,
    title    TEXT NOT NULL,
    words    TEXT NOT NULL, -- folded, of the code and the title, with a space before each
    books    TEXT NOT NULL  -- as JSON
);
CREATE UNIQUE INDEX courses_place ON courses (list_id, place);
CREATE UNIQUE INDEX courses_code ON courses (list_id, code_key);

-- The courses that people have chosen.
CREATE TABLE course_choices (
    owner_id  INTEGER NOT NULL,
    list_id   INTEGER NOT NULL,
    course_id INTEGER NOT NULL,
    chosen_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, list_id, course_id)
) WITHOUT ROWID;
CREATE INDEX course_choices_list ON course_choices (list_id, course_id); -- the deletion with a course

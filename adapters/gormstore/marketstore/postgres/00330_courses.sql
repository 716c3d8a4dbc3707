-- +goose Up
-- The lists of courses, one for each term of a university. The newest id of a university is its
-- present term.
CREATE TABLE course_lists (
    id             BIGINT PRIMARY KEY,
    university_key TEXT COLLATE "C" NOT NULL,
    term_key       TEXT COLLATE "C" NOT NULL,
    university     TEXT NOT NULL,
    term           TEXT NOT NULL,
    courses        INTEGER NOT NULL, -- how many it has
    books          INTEGER NOT NULL, -- of all courses
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL  -- when the courses were uploaded last
);
CREATE UNIQUE INDEX course_lists_term ON course_lists (university_key, term_key); -- the list of a term
CREATE INDEX course_lists_newest ON course_lists (university_key, id);            -- the terms of a university

CREATE TABLE courses (
    id       BIGINT PRIMARY KEY,
    list_id  BIGINT NOT NULL,
    place    BIGINT NOT NULL, -- 1, 2, 3, … in the order of the keys
    code_key TEXT COLLATE "C" NOT NULL,
    code     TEXT NOT NULL,
    title    TEXT NOT NULL,
    words    TEXT NOT NULL, -- folded, of the code and the title, with a space before each
    books    TEXT NOT NULL  -- as JSON
);
CREATE UNIQUE INDEX courses_place ON courses (list_id, place);
CREATE UNIQUE INDEX courses_code ON courses (list_id, code_key);

-- The courses that people have chosen.
CREATE TABLE course_choices (
    owner_id  BIGINT NOT NULL,
    list_id   BIGINT NOT NULL,
    course_id BIGINT NOT NULL,
    chosen_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, list_id, course_id)
);
CREATE INDEX course_choices_list ON course_choices (list_id, course_id); -- the deletion with a course

CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "name" varchar(150) NOT NULL UNIQUE);

INSERT INTO "auth_group" VALUES(1,'editors');

CREATE TABLE "auth_group_permissions" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED, "permission_id" integer NOT NULL REFERENCES "auth_permission" ("id") DEFERRABLE INITIALLY DEFERRED);

INSERT INTO "auth_group_permissions" VALUES(1,1,2);

INSERT INTO "auth_group_permissions" VALUES(2,1,3);

CREATE TABLE "auth_permission" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "content_type_id" integer NOT NULL REFERENCES "django_content_type" ("id") DEFERRABLE INITIALLY DEFERRED, "codename" varchar(100) NOT NULL, "name" varchar(255) NOT NULL);

INSERT INTO "auth_permission" VALUES(1,1,'add_logentry','Can add log entry');

INSERT INTO "auth_permission" VALUES(2,1,'change_logentry','Can change log entry');

INSERT INTO "auth_permission" VALUES(3,1,'delete_logentry','Can delete log entry');

INSERT INTO "auth_permission" VALUES(4,1,'view_logentry','Can view log entry');

INSERT INTO "auth_permission" VALUES(5,2,'add_permission','Can add permission');

INSERT INTO "auth_permission" VALUES(6,2,'change_permission','Can change permission');

CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "password" varchar(128) NOT NULL, "last_login" datetime NULL, "is_superuser" bool NOT NULL, "username" varchar(150) NOT NULL UNIQUE, "last_name" varchar(150) NOT NULL, "email" varchar(254) NOT NULL, "is_staff" bool NOT NULL, "is_active" bool NOT NULL, "date_joined" datetime NOT NULL, "first_name" varchar(150) NOT NULL);

INSERT INTO "auth_user" VALUES(1,'pbkdf2_sha256$1000000$salt$hash','2026-02-03 04:05:06',1,'ann','','ann@example.org',1,1,'2026-01-02 03:04:05.678901','');

CREATE TABLE "auth_user_groups" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED);

INSERT INTO "auth_user_groups" VALUES(1,1,1);

CREATE TABLE "auth_user_user_permissions" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "permission_id" integer NOT NULL REFERENCES "auth_permission" ("id") DEFERRABLE INITIALLY DEFERRED);

CREATE TABLE "django_admin_log" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "object_id" text NULL, "object_repr" varchar(200) NOT NULL, "action_flag" smallint unsigned NOT NULL CHECK ("action_flag" >= 0), "change_message" text NOT NULL, "content_type_id" integer NULL REFERENCES "django_content_type" ("id") DEFERRABLE INITIALLY DEFERRED, "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED, "action_time" datetime NOT NULL);

INSERT INTO "django_admin_log" VALUES(1,'1','editors',1,'[{"added": {}}]',3,1,'2026-01-02 03:04:05.1');

CREATE TABLE "django_content_type" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app_label" varchar(100) NOT NULL, "model" varchar(100) NOT NULL);

INSERT INTO "django_content_type" VALUES(1,'admin','logentry');

INSERT INTO "django_content_type" VALUES(2,'auth','permission');

INSERT INTO "django_content_type" VALUES(3,'auth','group');

INSERT INTO "django_content_type" VALUES(4,'auth','user');

INSERT INTO "django_content_type" VALUES(5,'contenttypes','contenttype');

INSERT INTO "django_content_type" VALUES(6,'sessions','session');

CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT, "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);

INSERT INTO "django_migrations" VALUES(1,'contenttypes','0001_initial','2026-01-02 03:04:01.500000');

INSERT INTO "django_migrations" VALUES(2,'auth','0001_initial','2026-01-02 03:04:02.500000');

INSERT INTO "django_migrations" VALUES(3,'admin','0001_initial','2026-01-02 03:04:03.500000');

CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY, "session_data" text NOT NULL, "expire_date" datetime NOT NULL);

INSERT INTO "django_session" VALUES('k3y','eyJh:1abc:xyz','2026-12-31 23:59:59.000001');

CREATE UNIQUE INDEX "auth_group_permissions_group_id_permission_id_0cd325b0_uniq" ON "auth_group_permissions" ("group_id", "permission_id");

CREATE INDEX "auth_group_permissions_group_id_b120cbf9" ON "auth_group_permissions" ("group_id");

CREATE INDEX "auth_group_permissions_permission_id_84c5c92e" ON "auth_group_permissions" ("permission_id");

CREATE UNIQUE INDEX "auth_user_groups_user_id_group_id_94350c0c_uniq" ON "auth_user_groups" ("user_id", "group_id");

CREATE INDEX "auth_user_groups_user_id_6a12ed8b" ON "auth_user_groups" ("user_id");

CREATE INDEX "auth_user_groups_group_id_97559544" ON "auth_user_groups" ("group_id");

CREATE UNIQUE INDEX "auth_user_user_permissions_user_id_permission_id_14a6b632_uniq" ON "auth_user_user_permissions" ("user_id", "permission_id");

CREATE INDEX "auth_user_user_permissions_user_id_a95ead1b" ON "auth_user_user_permissions" ("user_id");

CREATE INDEX "auth_user_user_permissions_permission_id_1fbb5f2c" ON "auth_user_user_permissions" ("permission_id");

CREATE INDEX "django_admin_log_content_type_id_c4bce8eb" ON "django_admin_log" ("content_type_id");

CREATE INDEX "django_admin_log_user_id_c564eba6" ON "django_admin_log" ("user_id");

CREATE UNIQUE INDEX "django_content_type_app_label_model_76bd3d3b_uniq" ON "django_content_type" ("app_label", "model");

CREATE UNIQUE INDEX "auth_permission_content_type_id_codename_01ab375a_uniq" ON "auth_permission" ("content_type_id", "codename");

CREATE INDEX "auth_permission_content_type_id_2f476e4b" ON "auth_permission" ("content_type_id");

CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");

DELETE FROM "sqlite_sequence";

INSERT INTO "sqlite_sequence" VALUES('django_migrations',18);

INSERT INTO "sqlite_sequence" VALUES('django_admin_log',1);

INSERT INTO "sqlite_sequence" VALUES('django_content_type',6);

INSERT INTO "sqlite_sequence" VALUES('auth_permission',24);

INSERT INTO "sqlite_sequence" VALUES('auth_group',1);

INSERT INTO "sqlite_sequence" VALUES('auth_user',1);

INSERT INTO "sqlite_sequence" VALUES('auth_user_groups',1);

INSERT INTO "sqlite_sequence" VALUES('auth_group_permissions',2);
